"""Settings: what there are, where they come from, changing one."""
