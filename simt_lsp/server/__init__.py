"""The language server: transport by pygls, everything else here."""
