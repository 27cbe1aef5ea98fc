"""What lies around a file on disk: headers, build commands and settings; shared by the server and the command line."""
