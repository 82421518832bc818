#!/bin/sh
# Becomes a Talos node in container mode. It is started as process 1 of namespaces of its own (node.js), so nothing that it mounts is seen outside.
#   node.sh ROOT OWN: the root file system, which stays as it is, and a folder of the node's own
set -eu
root=$1
own=$2
mkdir -p "$own/upper" "$own/work" "$own/root" "$own/kept"

mount -t overlay overlay -o "lowerdir=$root,upperdir=$own/upper,workdir=$own/work" "$own/root"
cd "$own/root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
for folder in run system tmp; do mount -t tmpfs tmpfs "$folder"; done

# No disk, no kernel log, nothing of the machine that this runs on.
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0

# What a real node keeps on its disk.
for folder in var system/state etc/cni etc/kubernetes usr/libexec/kubernetes opt; do
  mkdir -p "$own/kept/$folder" "$folder"
  mount --bind "$own/kept/$folder" "$folder"
done

# Talos sets these, and they belong to the whole machine: it gets files to write to. Every start of a node has an id of its own, too.
cat proc/sys/kernel/random/uuid > "$own/boot_id"
mount --bind "$own/boot_id" proc/sys/kernel/random/boot_id
for setting in kernel/panic kernel/pid_max vm/overcommit_memory fs/inotify/max_user_instances fs/aio-max-nr; do
  mkdir -p "$own/sysctl/$(dirname "$setting")"
  cat "proc/sys/$setting" > "$own/sysctl/$setting"
  mount --bind "$own/sysctl/$setting" "proc/sys/$setting"
done

# chroot alone would not do: runc needs a root that is a mount.
chroot=$(command -v chroot)
mount --move . /
exec setpriv --bounding-set=-sys_time,-sys_module,-sys_boot,-sys_rawio env -i PLATFORM=container "$chroot" . /sbin/init
