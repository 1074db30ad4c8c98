# SPDX-License-Identifier: GPL-2.0-only
"""Sets up optsample on an interface, and publishes its state.

    ros2 launch optsample_ros bringup.launch.py dev:=wlan0

up:=false where optsample@wlan0.service sets it up at boot. `optsample up`
needs root: without it, sudo runs it, and must not ask for a password. What was
set up stays when the launch file ends.
"""
import os

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue


def generate_launch_description():
    dev = LaunchConfiguration('dev')
    as_root = [] if os.geteuid() == 0 else ['sudo', '-n']
    return LaunchDescription([
        DeclareLaunchArgument('dev', description='interface, as wlan0'),
        DeclareLaunchArgument('up', default_value='true',
                              description='set it up (false: only publish)'),
        DeclareLaunchArgument('period', default_value='1.0',
                              description='seconds between diagnostics'),
        ExecuteProcess(cmd=as_root + ['optsample', 'up', dev],
                       condition=IfCondition(LaunchConfiguration('up')),
                       output='screen'),
        Node(package='optsample_ros', executable='status',
             name='optsample_status', output='screen',
             # typed: "2" would become an integer
             parameters=[{'dev': ParameterValue(dev, value_type=str),
                          'period': ParameterValue(
                              LaunchConfiguration('period'),
                              value_type=float)}]),
    ])
