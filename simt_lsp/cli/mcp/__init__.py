"""Tools for agents, over the Model Context Protocol: each call is one command of the shell, told in short."""
