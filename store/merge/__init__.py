"""Three-way merge of memory: values in, values out; knows no disk and no git."""
