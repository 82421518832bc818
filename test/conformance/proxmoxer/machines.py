"""The life of a machine: made from an image, changed, started, copied, removed."""

import re
import time

from images import IMAGE
from story import NODE, POLL, expect, expect_that, refused, waited

ONE, FULL, LINKED = 100, 101, 102
MAC = re.compile(r"^virtio=BC:24:11(:[0-9A-F]{2}){3},bridge=vmbr0$")


def vm(api, vmid):
    return api.nodes(NODE).qemu(vmid)


def up(api, vmid, uptime=60, tries=500):
    """A guest that still boots does not react to its power button, and it has no agent to tell: give it its minute."""
    for _ in range(tries):
        if vm(api, vmid).status.current.get()["uptime"] >= uptime:
            return
        time.sleep(POLL)
    raise AssertionError(f"machine {vmid} has not run for {uptime} s")


def create(lab, api):
    wish = {
        "vmid": ONE, "name": "one", "cores": 2, "memory": 2048, "cpu": "host", "ostype": "l26", "machine": "q35", "bios": "ovmf",
        "scsihw": "virtio-scsi-single", "net0": "virtio,bridge=vmbr0", "serial0": "socket", "agent": 1, "tags": "b;a",
        "efidisk0": "local-lvm:1,efitype=4m,pre-enrolled-keys=0",
        "scsi0": f"local-lvm:0,import-from=local:import/{IMAGE},iothread=on,discard=on,ssd=1",
        "ide2": "local-lvm:cloudinit", "ipconfig0": "ip=192.0.2.10/24,gw=192.0.2.1", "boot": "order=scsi0;net0",
        "description": "made by proxmoxer: ä & ; = %41",
    }
    log = waited(api, api.nodes(NODE).qemu.post(**wish), "qmcreate", ONE)
    expect_that("the import is in the log", "create full clone of drive" in log, log)
    config = vm(api, ONE).config.get()
    expect("a name", config["name"], "one")
    expect("memory is text, cores is a number", (config["memory"], config["cores"]), ("2048", 2))
    # At create, Proxmox puts them in order since 9.1.17 only.
    expect("tags", config["tags"], "a;b" if lab.is_nine else "b;a")
    expect("any description survives", config["description"].rstrip("\n"), wish["description"])
    expect_that("a network card gets an address", MAC.match(config["net0"]), config["net0"])
    expect_that("the first disk by name is the first made", config["efidisk0"].startswith("local-lvm:vm-100-disk-0,efitype=4m"), config["efidisk0"])
    disk = re.match(r"^local-lvm:vm-100-disk-1,discard=on,iothread=1,size=\d+[MG],ssd=1$", config["scsi0"])
    expect_that("a disk reads back in order", disk, config["scsi0"])
    expect("the drive for cloud-init", config["ide2"], "local-lvm:vm-100-cloudinit,media=cdrom")
    expect_that("a digest", re.match(r"^[0-9a-f]{40}$", config["digest"]), config["digest"])
    expect("the machine is listed", [(one["vmid"], one["name"], one["status"]) for one in api.nodes(NODE).qemu.get()], [(ONE, "one", "stopped")])
    expect("the next free id", api.cluster.nextid.get(), "101")
    with refused(500, "Internal Server Error", "unable to create VM 100 - VM 100 already exists on node 'pve1'"):
        api.nodes(NODE).qemu.post(vmid=ONE)
    with refused(400, "Bad Request", "Parameter verification failed.", {"vmid": "VM 100 already exists"}):
        api.cluster.nextid.get(vmid=ONE)
    with refused(500, "Internal Server Error", "Configuration file 'nodes/pve2/qemu-server/100.conf' does not exist"):
        api.nodes("pve2").qemu(ONE).config.get()


def configure(lab, api):
    digest = vm(api, ONE).config.get()["digest"]
    expect("a change is answered with nothing", vm(api, ONE).config.put(cores=4, digest=digest), None)
    with refused(500, "Internal Server Error", "checksum mismatch (file change by other user?)"):
        vm(api, ONE).config.put(cores=2, digest=digest)
    waited(api, vm(api, ONE).config.post(onboot=1, delete="description"), "qmconfig", ONE)
    config = vm(api, ONE).config.get()
    expect("what was changed", (config["cores"], config["onboot"], config.get("description")), (4, 1, None))
    with refused(500, "Internal Server Error", "no options specified"):
        vm(api, ONE).config.put()
    pending = {one["key"]: one for one in vm(api, ONE).pending.get()}
    expect("of a machine that is off nothing is pending", [k for k, one in pending.items() if "pending" in one or "delete" in one], [])


def resize(lab, api):
    waited(api, vm(api, ONE).resize.put(disk="scsi0", size="20G"), "resize", ONE)
    expect_that("a disk has grown", ",size=20G," in vm(api, ONE).config.get()["scsi0"])
    waited(api, vm(api, ONE).resize.put(disk="scsi0", size="+1G"), "resize", ONE)
    expect_that("and once more", ",size=21G," in vm(api, ONE).config.get()["scsi0"])
    waited(api, vm(api, ONE).resize.put(disk="scsi0", size="5G"), "resize", ONE, "shrinking disks is not supported")


def power(lab, api):
    waited(api, vm(api, ONE).status.start.post(), "qmstart", ONE)
    status = vm(api, ONE).status.current.get()
    expect("it runs", (status["status"], status["qmpstatus"]), ("running", "running"))
    waited(api, vm(api, ONE).status.start.post(), "qmstart", ONE, "VM 100 already running")
    with refused(500, "Internal Server Error", "VM 100 is running - destroy failed"):
        vm(api, ONE).delete()
    vm(api, ONE).config.put(cores=6, description="changed while it ran")
    pending = {one["key"]: one for one in vm(api, ONE).pending.get()}
    expect("cores wait for the next start", (pending["cores"]["value"], pending["cores"]["pending"]), (4, 6))
    expect("a description does not", (pending["description"]["value"], "pending" in pending["description"]), ("changed while it ran", False))
    expect("the config shows what will be", vm(api, ONE).config.get()["cores"], 6)
    expect("or what is", vm(api, ONE).config.get(current=1)["cores"], 4)
    up(api, ONE)
    waited(api, vm(api, ONE).status.shutdown.post(timeout=120), "qmshutdown", ONE)
    expect("it is off", vm(api, ONE).status.current.get()["status"], "stopped")
    with refused(500, "Internal Server Error", "VM 100 not running"):
        vm(api, ONE).status.reboot.post()
    waited(api, vm(api, ONE).status.start.post(), "qmstart", ONE)
    expect("nothing waits any more", [one for one in vm(api, ONE).pending.get() if "pending" in one], [])
    vm(api, ONE).config.put(cores=4)
    waited(api, vm(api, ONE).status.stop.post(), "qmstop", ONE)
    # vm_stop_cleanup of QemuServer.pm: what Proxmox stops itself takes over what has waited.
    expect("after a stop nothing waits either", vm(api, ONE).config.get(current=1)["cores"], 4)
    waited(api, vm(api, ONE).status.stop.post(), "qmstop", ONE)


def copies(lab, api):
    waited(api, vm(api, ONE).clone.post(newid=FULL, name="full", full=1), "qmclone", ONE)
    original, copy = vm(api, ONE).config.get(), vm(api, FULL).config.get()
    expect("the copy", (copy["name"], copy["cores"]), ("full", original["cores"]))
    expect_that("it has disks of its own", copy["scsi0"].startswith("local-lvm:vm-101-disk-"), copy["scsi0"])
    expect_that("and an address of its own", MAC.match(copy["net0"]) and copy["net0"] != original["net0"], copy["net0"])
    expect_that("and an identity", copy["smbios1"] != original["smbios1"])
    with refused(500, "Internal Server Error", "unable to create VM 101: config file already exists"):
        vm(api, ONE).clone.post(newid=FULL)
    waited(api, vm(api, ONE).template.post(), "qmtemplate", ONE)
    template = vm(api, ONE).config.get()
    expect("it is a template", template["template"], 1)
    expect_that("its disks are bases", template["scsi0"].startswith("local-lvm:base-100-disk-1,"), template["scsi0"])
    with refused(500, "Internal Server Error", "you can't convert a template to a template"):
        vm(api, ONE).template.post()
    waited(api, vm(api, ONE).status.start.post(), "qmstart", ONE, "you can't start a vm if it's a template")
    with refused(500, "Internal Server Error", "parameter 'storage' not allowed for linked clones"):
        vm(api, ONE).clone.post(newid=LINKED, storage="local-lvm", full=0)
    waited(api, vm(api, ONE).clone.post(newid=LINKED, name="linked"), "qmclone", ONE)
    linked = vm(api, LINKED).config.get()
    expect_that("a linked copy", linked["scsi0"].startswith("local-lvm:vm-102-disk-"), linked["scsi0"])
    expect("is no template", linked.get("template"), None)


def removal(lab, api):
    status = {one["vmid"]: one for one in api.nodes(NODE).qemu.get()}
    expect("machines", sorted(status), [ONE, FULL, LINKED])
    # The template first: LVM-thin does not track who shares its blocks, so its clone lives on.
    for vmid in (ONE, FULL, LINKED):
        waited(api, vm(api, vmid).delete(**{"purge": 1, "destroy-unreferenced-disks": 1}), "qmdestroy", vmid)
        with refused(500, "Internal Server Error", f"Configuration file 'nodes/{NODE}/qemu-server/{vmid}.conf' does not exist"):
            vm(api, vmid).status.current.get()
    expect("no machine is left", api.nodes(NODE).qemu.get(), [])
    expect("no disk is left", api.nodes(NODE).storage("local-lvm").content.get(), [])
    tasks = api.nodes(NODE).tasks.get(vmid=LINKED, source="all")
    expect("the tasks of a machine outlive it", {one["type"] for one in tasks}, {"qmdestroy"})
    expect("running tasks", api.nodes(NODE).tasks.get(source="active"), [])


def bases_on_files(lab, api):
    """Where a copy names its base, the base cannot go before it."""
    root = lab.by_password()
    root.storage("local").put(content="iso,vztmpl,backup,import,snippets,images")
    waited(api, api.nodes(NODE).qemu.post(vmid=ONE, name="base", scsi0="local:1,format=qcow2"), "qmcreate", ONE)
    waited(api, vm(api, ONE).template.post(), "qmtemplate", ONE)
    waited(api, vm(api, ONE).clone.post(newid=LINKED, name="linked"), "qmclone", ONE)
    disk = vm(api, LINKED).config.get()["scsi0"].split(",")[0]
    expect("a linked copy names its base", disk, "local:100/base-100-disk-0.qcow2/102/vm-102-disk-0.qcow2")
    error = "base volume 'local:100/base-100-disk-0.qcow2' is still in use by linked cloned"
    waited(api, vm(api, ONE).delete(), "qmdestroy", ONE, error)
    for vmid in (LINKED, ONE):
        waited(api, vm(api, vmid).delete(purge=1), "qmdestroy", vmid)
    expect("no disk is left", api.nodes(NODE).storage("local").content.get(content="images"), [])


SCENES = [create, configure, resize, power, copies, removal, bases_on_files]
