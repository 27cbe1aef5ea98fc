"""What is analysed and when: one thread, and what it keeps."""
