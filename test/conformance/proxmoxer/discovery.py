"""Who and what is there, and what is said to those who may not or who ask for nonsense."""

import hashlib
import ssl

from proxmoxer.core import AuthenticationError
from story import NODE, expect, expect_that, refused


def certificate(lab, api):
    pem = ssl.get_server_certificate((lab.address.hostname, lab.address.port))
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest().upper()
    seen = ":".join(digest[i : i + 2] for i in range(0, len(digest), 2))
    expect("fingerprint of the certificate that is served", seen, lab.fingerprint)
    told = {node["node"]: node["ssl_fingerprint"] for node in api.nodes.get()}
    expect("fingerprint that the API tells", told[NODE], seen)
    info = api.nodes(NODE).certificates.info.get()
    expect_that("its certificate is among those of the host", seen in [one["fingerprint"] for one in info])


def hosts(lab, api):
    version = api.version.get()
    expect("major release", version["release"].split(".")[0], "9" if lab.is_nine else "8")
    expect("release", version["release"], ".".join(version["version"].split(".")[:2]))
    nodes = api.nodes.get()
    expect("hosts", sorted(node["node"] for node in nodes), ["pve1", "pve2", "pve3"])
    expect("state of the hosts", {node["status"] for node in nodes}, {"online"})
    status = api.nodes(NODE).status.get()
    expect_that("a host can virtualise", status["cpuinfo"]["hvm"] in (1, "1"))
    cluster = [one for one in api.cluster.status.get() if one["type"] == "cluster"]
    expect("the cluster is quorate", [one["quorate"] for one in cluster], [1])


def storages(lab, api):
    on_host = {one["storage"]: one for one in api.nodes(NODE).storage.get()}
    expect("storages", sorted(on_host), ["local", "local-lvm"])
    expect("kinds", (on_host["local"]["type"], on_host["local-lvm"]["type"]), ("dir", "lvmthin"))
    # A host that was installed as 8.x takes no images for import before it is told to.
    if not lab.is_nine:
        expect("storages for import", api.nodes(NODE).storage.get(content="import", enabled=1), [])
        lab.by_password().storage("local").put(content="iso,vztmpl,backup,import")
    for content, storage in (("import", "local"), ("images", "local-lvm")):
        found = api.nodes(NODE).storage.get(content=content, enabled=1)
        expect(f"storages for {content}", [one["storage"] for one in found], [storage])
    expect("the same by its definition", {one["storage"] for one in api.storage.get()}, set(on_host))


def machines(lab, api):
    expect("machines of the host", api.nodes(NODE).qemu.get(), [])
    expect("machines of the cluster", api.cluster.resources.get(type="vm"), [])
    expect("the next free id is text", api.cluster.nextid.get(), "100")


def nonsense(lab, api):
    with refused(501, "Not Implemented", "Method 'GET /nothing/here' not implemented"):
        api.nothing.here.get()
    with refused(400, "Bad Request", "Parameter verification failed.",
                 {"type": "value 'moon' does not have a value in the enumeration 'vm, storage, node, sdn'"}):
        api.cluster.resources.get(type="moon")
    with refused(400, "Bad Request", "Parameter verification failed.", {
        "vmid": "property is missing and it is not optional",
        "cores": "type check ('integer') failed - got 'many'",
        "colour": "property is not defined in schema and the schema does not allow additional properties",
    }):
        api.nodes(NODE).qemu.post(cores="many", colour="red")
    with refused(400, "Bad Request", "Parameter verification failed.",
                 {"onboot": "type check ('boolean') failed - got 'true'"}):
        api.nodes(NODE).qemu.post(vmid=150, onboot="true")
    with refused(500, "Internal Server Error", f"Configuration file 'nodes/{NODE}/qemu-server/150.conf' does not exist"):
        api.nodes(NODE).qemu(150).config.get()
    with refused(500, "Internal Server Error",
                 "hostname lookup 'pve9' failed - failed to get address info for: pve9: Name or service not known"):
        api.nodes("pve9").qemu.get()
    with refused(400, "Bad Request", "Parameter verification failed.", {"upid": "no such task"}):
        api.nodes(NODE).tasks(f"UPID:{NODE}:00000001:00000001:00000001:qmstart:100:root@pam:").status.get()


def strangers(lab, api):
    # proxmoxer makes an error of its own out of the body that is not there.
    with refused(401, "Unauthorized", "Authentication failed!", {"errors": b""}):
        lab.by_token(secret="00000000-0000-0000-0000-000000000000").nodes.get()
    try:
        lab.by_password("wrong")
    except AuthenticationError as e:
        expect_that("a wrong password is a 401", str(e).endswith("code: 401"), str(e))
    else:
        raise AssertionError("logged in with a wrong password")


def rights(lab, api):
    with refused(403, "Forbidden", "Permission check failed (/access, Sys.Modify)"):
        api.access.roles.post(roleid="Mine", privs="VM.Audit")
    with refused(500, "Internal Server Error", "only root can set 'args' config"):
        api.nodes(NODE).qemu.post(vmid=150, args="-S")
    granted = api.access.permissions.get(path="/vms/150")["/vms/150"]
    expect_that("rights by path", "VM.Allocate" in granted and "Permissions.Modify" not in granted)


def roles(lab, api):
    """A role knows the privileges of its release only."""
    root = lab.by_password()
    own, other = ("VM.GuestAgent.Audit", "VM.Monitor") if lab.is_nine else ("VM.Monitor", "VM.GuestAgent.Audit")
    expect("a role", root.access.roles.post(roleid="Agents", privs=f"VM.Audit,{own}"), None)
    expect("it reads back", sorted(root.access.roles("Agents").get()), sorted(["VM.Audit", own]))
    with refused(400, "Bad Request", "Parameter verification failed.", {"privs": f"invalid format - invalid privilege '{other}'\n"}):
        root.access.roles.post(roleid="Others", privs=other)
    expect("a user", root.access.users.post(userid="reader@pve", password="a long one"), None)
    made = root.access.users("reader@pve").token("api").post(privsep=0)
    expect("a token", made["full-tokenid"], "reader@pve!api")
    reader = lab.by_token(owner=made["full-tokenid"], secret=made["value"])
    with refused(403, "Forbidden", "Permission check failed (/nodes/pve1, Sys.Audit)"):
        reader.nodes(NODE).status.get()
    expect("leave", root.access.acl.put(path="/nodes", roles="PVEAuditor", users="reader@pve"), None)
    expect("it may now", reader.nodes(NODE).status.get()["cpuinfo"]["sockets"] > 0, True)
    root.access.users("reader@pve").delete()
    with refused(401, "Unauthorized", "Authentication failed!", {"errors": b""}):
        reader.nodes(NODE).status.get()
    root.access.roles("Agents").delete()


def tickets(lab, api):
    root = lab.by_password()
    ticket, csrf = root.get_tokens()
    expect_that("form of a ticket", ticket.startswith("PVE:root@pam:"), ticket)
    expect("a call by ticket", len(root.nodes.get()), 3)
    expect("a change by ticket", root.pools.post(poolid="conformance"), None)
    expect("it was made", [one["poolid"] for one in root.pools.get()], ["conformance"])
    expect("a removal by ticket", root.pools.delete(poolid="conformance"), None)
    renewed = lab.by_password(ticket)
    expect("a ticket is as good as the password", len(renewed.nodes.get()), 3)
    root._backend.auth.csrf_prevention_token = csrf[:-4] + "AAA="
    with refused(401, "Unauthorized", "Permission denied - invalid csrf token", {"errors": b""}):
        root.pools.post(poolid="forged")
    with refused(403, "Forbidden",
                 "Permission check failed (URI '/access/ticket' not available with API token, need proper ticket.)"):
        api.access.ticket.post(username="root@pam", password="x")


SCENES = [certificate, hosts, storages, machines, nonsense, strangers, rights, roles, tickets]
