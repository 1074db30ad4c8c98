# SPDX-License-Identifier: GPL-2.0-only
USES	:= ros/io laser transport
LIBS	:= -lwebsockets -lcjson -lz -lm -lpthread
PKGS	:= libcurl
FLAGS	:= -Wa,-I$(BUILD)
TESTS	:= view_board view_mission foxglove view_browser \
	   view_pictures view_server view_robot view_gdim
test_view_server.LIBS := -Wl,--wrap=loop_now,--wrap=clock_gettime
THREADED := view_board foxglove view_browser view_pictures view_server \
	    view_gdim
FUZZ	:= view_peer first_view

# one page of all its parts
VIEW_PAGE := userspace/view/page
$(BUILD)/view/page.html: $(VIEW_PAGE) $(wildcard $(VIEW_PAGE)/*)
	$(Q)mkdir -p $(@D)
	$(Q)cd $(VIEW_PAGE) && awk -v scripts="$$(tr '\n' ' ' <order.txt)" ' \
		function put(name,	line) { while ((getline line <name) > 0) print line } \
		/@STYLE@/ { put("style.css"); next } \
		/@SCRIPT@/ { n = split(scripts, s, " "); for (i = 1; i <= n; i++) put(s[i]); next } \
		{ print }' index.html >$(abspath $@)
$(BUILD)/view/page.html.gz: $(BUILD)/view/page.html
	$(Q)gzip -9nc $< >$@
$(foreach o,$(OBJECTS),$(o)/userspace/view/server_http.o): $(BUILD)/view/page.html.gz
