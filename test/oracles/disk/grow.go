package main

import (
	"os"
	"slices"

	"github.com/google/uuid"
	"github.com/siderolabs/go-blockdevice/v2/partitioning/gpt"
)

// readBackup: is the table at the disk's end as good as the one at its beginning?
func (s *seen) readBackup(f *os.File) error {
	dev, err := gpt.DeviceFromFile(f)
	if err != nil {
		return err
	}

	first, err := gpt.Read(dev)
	if err != nil {
		return err
	}

	last, err := gpt.Read(&withoutFirst{Device: dev})
	if err != nil {
		return nil //nolint:nilerr // Then it is none.
	}

	s.Backup = slices.EqualFunc(first.Partitions(), last.Partitions(), func(a, b *gpt.Partition) bool {
		return (a == nil) == (b == nil) && (a == nil || *a == *b)
	})

	return nil
}

// withoutFirst is the disk after somebody zeroed its first header.
type withoutFirst struct{ gpt.Device }

func (d *withoutFirst) ReadAt(p []byte, off int64) (int, error) {
	n, err := d.Device.ReadAt(p, off)

	for at := max(off, 512); at < min(off+int64(n), 1024); at++ {
		p[at-off] = 0
	}

	return n, err
}

// grow adds what Talos adds at its first start, as its volume manager does, and then drops the volume with the config.
func (s *seen) grow(f *os.File) error {
	dev, err := gpt.DeviceFromFile(f)
	if err != nil {
		return err
	}

	for _, wish := range []struct {
		name string
		size uint64
	}{{"STATE", stateSize}, {"EPHEMERAL", 0}} {
		table, err := gpt.Read(dev)
		if err != nil {
			return err
		}

		size := wish.size
		if size == 0 {
			size = table.LargestContiguousAllocatable()
		}

		if _, _, err = table.AllocatePartition(size, wish.name, uuid.MustParse(linuxFiles)); err != nil {
			return err
		}

		if err = table.Write(); err != nil {
			return err
		}
	}

	table, err := gpt.Read(dev)
	if err != nil {
		return err
	}

	ephemeral := -1

	for at, part := range table.Partitions() {
		if part == nil {
			continue
		}

		s.Grown = append(s.Grown, partition{
			Number: uint(at + 1),
			Name:   part.Name,
			Offset: part.FirstLBA * 512,
			Size:   (part.LastLBA - part.FirstLBA + 1) * 512,
			Type:   part.TypeGUID.String(),
			ID:     part.PartGUID.String(),
		})

		switch part.Name {
		case "EPHEMERAL":
			ephemeral = at
		case configLabel:
			if err = table.DeletePartition(at); err != nil {
				return err
			}
		}
	}

	if err = table.Write(); err != nil {
		return err
	}

	if table, err = gpt.Read(dev); err != nil {
		return err
	}

	s.Growth, err = table.AvailablePartitionGrowth(ephemeral)

	return err
}
