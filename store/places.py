"""Where things are: a memory, its project, the user's folders."""

from typing import TYPE_CHECKING

from store.lazy import offered

if TYPE_CHECKING:
    from store.backends import Location, is_url, shown_location
    from store.backends.location import (
        FOLDER,
        chosen_store,
        find_store,
        named_store,
        nearest_store,
        place_to_start,
    )
    from store.backends.placement import (
        MemoryPlace,
        chosen_place,
        memory_at,
        move_memory,
        place_of,
        prepare_place,
    )
    from store.backends.team import give_rights
    from store.backends.user_data import is_in_user_data, project_root
    from store.disk.links import real_path
    from store.disk.named import is_file, is_folder, is_there
    from store.disk.write import make_folder
    from store.home import (
        check_home,
        expanded,
        home_folder,
        is_nowhere,
        place_typed,
        user_folder,
    )
    from store.project import Project, folders_of, project_of, ran_elsewhere
    from store.search.folder import beside_index
else:
    __getattr__ = offered(
        __name__,
        {
            "store.backends": "Location is_url shown_location",
            "store.backends.location": (
                "FOLDER chosen_store find_store named_store nearest_store place_to_start"
            ),
            "store.home": "check_home expanded home_folder is_nowhere place_typed user_folder",
            "store.disk.links": "real_path",
            "store.disk.named": "is_file is_folder is_there",
            "store.disk.write": "make_folder",
            "store.project": "Project folders_of project_of ran_elsewhere",
            "store.search.folder": "beside_index",
            "store.backends.placement": (
                "MemoryPlace chosen_place memory_at move_memory place_of prepare_place"
            ),
            "store.backends.team": "give_rights",
            "store.backends.user_data": "is_in_user_data project_root",
        },
    )
