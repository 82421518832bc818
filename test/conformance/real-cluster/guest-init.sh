#!/guest/busybox sh
# The first process of the guest: prepares what Talos's container mode expects of a container engine, and becomes Talos.
# ADDRESS and GATEWAY come from the kernel's command line.
set -eu
export PATH=/guest
/guest/busybox --install -s /guest

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 -o nsdelegate cgroup2 /sys/fs/cgroup
mkdir -p /dev/pts /dev/shm /dev/mqueue
mount -t devpts -o newinstance,ptmxmode=0666,gid=5,mode=620 devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t mqueue mqueue /dev/mqueue
ln -sf pts/ptmx /dev/ptmx
ln -sf /proc/self/fd /dev/fd
for folder in /run /system /tmp; do mount -t tmpfs tmpfs "$folder"; done

# What a real node keeps on its disk.
mkdir -p /guest/state /system/state
mount --bind /guest/state /system/state
for folder in /var /etc/cni /etc/kubernetes /usr/libexec/kubernetes /opt; do mount --bind "$folder" "$folder"; done
mount --make-rshared /

ip link set lo up
ip link set vec0 name eth0
ip link set eth0 up
ip address add "$ADDRESS/24" dev eth0
ip route add default via "$GATEWAY"
exec env -i PLATFORM=container /sbin/init
