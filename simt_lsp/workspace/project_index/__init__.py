"""Which files of a project use which: skims of all of them, questions about them, and what is kept on disk."""
