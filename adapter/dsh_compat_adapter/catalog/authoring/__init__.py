"""The authoring side of the catalog: models, sources, linters, compile. Nothing at run time imports this room."""
