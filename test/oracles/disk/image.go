package main

import (
	"os"

	"github.com/google/uuid"
	"github.com/siderolabs/go-adv/adv/talos"
	"github.com/siderolabs/go-blockdevice/v2/partitioning/gpt"
)

const mib = 1 << 20

// imageSize is that of the disk images of Talos 1.13, which both kinds of firmware start.
const imageSize = 4306 * mib

const (
	efiSystem  = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"
	biosBoot   = "21686148-6449-6E6F-744E-656564454649"
	linuxFiles = "0FC63DAF-8483-4772-8E79-3D69D8477DE4"
	metaKey    = 0x0c
	metaValue  = "set when the image was made"
	stateSize  = 100 * mib
)

// makeImage is a sparse file with nothing in it but the table and META.
func makeImage(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}

	defer f.Close() //nolint:errcheck

	if err = f.Truncate(imageSize); err != nil {
		return err
	}

	dev, err := gpt.DeviceFromFile(f)
	if err != nil {
		return err
	}

	table, err := gpt.New(dev, gpt.WithMarkPMBRBootable())
	if err != nil {
		return err
	}

	var last gpt.Partition

	for _, part := range []struct {
		name string
		size uint64
		kind string
	}{
		{"EFI", 2200 * mib, efiSystem},
		{"BIOS", 1 * mib, biosBoot},
		{"BOOT", 2000 * mib, linuxFiles},
		{"META", 1 * mib, linuxFiles},
	} {
		if _, last, err = table.AllocatePartition(part.size, part.name, uuid.MustParse(part.kind)); err != nil {
			return err
		}
	}

	if err = table.Write(); err != nil {
		return err
	}

	values, err := talos.NewADV(nil)
	if err != nil {
		return err
	}

	values.SetTag(metaKey, metaValue)

	bytes, err := values.Bytes()
	if err != nil {
		return err
	}

	_, err = f.WriteAt(bytes, int64(last.FirstLBA)*512)

	return err
}
