"""Takes one collection out of the wheel that ships nearly all there are: `collection.py WHEEL-FOLDER COLLECTION TO`."""

import glob
import sys
import zipfile

folder, collection, to = sys.argv[1:]
[wheel] = glob.glob(f"{folder}/*.whl")
inside = f"ansible_collections/{collection.replace('.', '/')}/"
with zipfile.ZipFile(wheel) as archive:
    members = [name for name in archive.namelist() if name.startswith(inside)]
    if not members:
        sys.exit(f"there is no {collection} in {wheel}")
    archive.extractall(to, members)
