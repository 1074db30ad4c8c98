// SPDX-License-Identifier: GPL-2.0-only
/*
 * xstate - let User-Mode Linux 6.1 run on processors with much vector state
 *
 * UML keeps 2696 bytes of extended state for each of its processes. A host
 * with more (AMX: 11008) hands out that part, but takes back only all of it:
 * PTRACE_SETREGSET fails with EFAULT and the guest's init dies. Preloaded
 * into UML this widens what is written by what the process has already; what
 * lies behind UML's part, no program has without asking for it.
 */
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

static long (*real)(enum __ptrace_request request, ...);

static __attribute__((constructor)) void find(void)
{
	real = dlsym(RTLD_NEXT, "ptrace");
}

static long set_xstate(pid_t pid, void *set, const struct iovec *part)
{
	static char whole[65536] __attribute__((aligned(64)));
	struct iovec all = { whole, sizeof(whole) };
	long err = real(PTRACE_GETREGSET, pid, set, &all);

	if (err || all.iov_len < part->iov_len)
		return real(PTRACE_SETREGSET, pid, set, part);
	memcpy(whole, part->iov_base, part->iov_len);
	return real(PTRACE_SETREGSET, pid, set, &all);
}

long ptrace(enum __ptrace_request request, ...)
{
	void *addr, *data;
	va_list args;
	pid_t pid;

	va_start(args, request);
	pid = va_arg(args, pid_t);
	addr = va_arg(args, void *);
	data = va_arg(args, void *);
	va_end(args);
	if (request == PTRACE_SETREGSET && addr == (void *)NT_X86_XSTATE)
		return set_xstate(pid, addr, data);
	return real(request, pid, addr, data);
}
