"""Images: fetched by the host itself from the lab's factory, and sent by the client."""

import hashlib
import os
import tempfile

import requests
from proxmoxer.tools import Files
from story import NODE, expect, expect_that, refused, waited

IMAGE = "talos.qcow2"
VERSION = "v1.13.9"


def order(lab):
    """A schematic at the factory, and the address, SHA-256 and description of its image."""
    made = requests.post(f"{lab.factory}/schematics", data="customization: {}\n", timeout=300)
    expect("the factory knows a schematic", made.status_code, 201)
    url = f"{lab.factory}/image/{made.json()['id']}/{VERSION}/nocloud-amd64.qcow2"
    image = requests.get(url, timeout=300)
    expect("the factory makes an image", (image.status_code, image.content[:4]), (200, b"QFI\xfb"))
    return url, hashlib.sha256(image.content).hexdigest(), {
        "filename": "nocloud-amd64.qcow2", "size": len(image.content), "mimetype": image.headers["Content-Type"],
    }


def download(lab, api):
    url, checksum, described = order(lab)
    local = api.nodes(NODE).storage("local")
    metadata = Files(api, NODE, "local").get_file_info(url)
    expect("what the host sees of the image", metadata, described)
    wish = {"content": "import", "filename": IMAGE, "url": url, "checksum-algorithm": "sha256"}
    waited(api, local("download-url").post(**wish, checksum=checksum), "download", IMAGE)
    [image] = local.content.get(content="import")
    expect("the image", (image["volid"], image["format"], image["content"]), (f"local:import/{IMAGE}", "qcow2", "import"))
    log = waited(api, local("download-url").post(**wish, checksum=checksum), "download", IMAGE)
    expect_that("the same again is not fetched", "OK, got correct file already, no need to download" in log, log)
    upid = local("download-url").post(**{**wish, "checksum-algorithm": None})
    path = f"/var/lib/vz/import/{IMAGE}"
    waited(api, upid, "download", IMAGE, f"refusing to override existing file '{path}'")
    eight = "missing property - 'checksum-algorithm' requires this property"
    missing = "missing property required by 'checksum-algorithm'" if lab.is_nine else eight
    with refused(400, "Bad Request", "Parameter verification failed.", {"checksum": missing}):
        local("download-url").post(**{**wish, "filename": "other.qcow2"})
    with refused(500, "Internal Server Error", "can't upload to storage type 'lvmthin', not a file based storage!"):
        api.nodes(NODE).storage("local-lvm")("download-url").post(**wish, checksum=checksum)


def upload(lab, api):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "small.iso")
        with open(path, "wb") as file:
            file.write(b"\0" * 32768 + b"\x01CD001\x01" + b"\0" * 2041)
        status = Files(api, NODE, "local").upload_local_file_to_storage(path)
    expect("an upload", (status["type"], status["exitstatus"]), ("imgcopy", "OK"))
    local = api.nodes(NODE).storage("local")
    [iso] = local.content.get(content="iso")
    expect("what was sent", (iso["volid"], iso["size"]), ("local:iso/small.iso", 34816))
    with refused(403, "Forbidden", "Permission check failed (/storage/local, Datastore.Allocate)"):
        local.content("local:iso/small.iso").delete()
    root = lab.by_password()
    waited(root, root.nodes(NODE).storage("local").content("local:iso/small.iso").delete(), "imgdel", "local")
    expect("it is gone", local.content.get(content="iso"), [])


SCENES = [download, upload]
