"""What a user may set: one table of settings, and what is made of it.

`all_settings.py` is the table.  `reader.py` reads sources by it; `schema.py`, `toml_schema.py` and `documentation.py`
describe it to VS Code, to editors of `.simt.toml` and to people.
"""
