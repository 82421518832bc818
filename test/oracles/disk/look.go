package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kdomanski/iso9660"
	"github.com/siderolabs/go-adv/adv/talos"
	"github.com/siderolabs/go-blockdevice/v2/blkid"
	"github.com/siderolabs/talos/pkg/machinery/resources/network"
	"go.yaml.in/yaml/v4"
)

type partition struct {
	Number uint   `json:"number"`
	Name   string `json:"name"`
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
	Type   string `json:"type"`
	ID     string `json:"id"`
	// Of what is in it.
	Filesystem string `json:"filesystem"`
	Label      string `json:"label"`
}

type volume struct {
	// SHA-256 by name.
	Files map[string]string `json:"files"`
}

type meta struct {
	Keys map[uint8]string `json:"keys"`
	// As Talos prints what it has read.
	Network string `json:"network"`
}

// Which volumes Talos reads its config from.
const configLabel = "metal-iso"

func (s *seen) probe(f *os.File) error {
	info, err := blkid.Probe(f, blkid.WithSectorSize(512))
	if err != nil {
		return err
	}

	s.Table = info.Name

	for _, part := range info.Parts {
		s.Partitions = append(s.Partitions, partition{
			Number:     part.PartitionIndex,
			Name:       *part.PartitionLabel,
			Offset:     part.PartitionOffset,
			Size:       part.PartitionSize,
			Type:       part.PartitionType.String(),
			ID:         part.PartitionUUID.String(),
			Filesystem: part.Name,
			Label:      deref(part.Label),
		})

		if (deref(part.Label) == configLabel || *part.PartitionLabel == configLabel) && part.Name != "" {
			if s.Config, err = readVolume(io.NewSectionReader(f, int64(part.PartitionOffset), int64(part.PartitionSize))); err != nil {
				return err
			}
		}
	}

	sector := make([]byte, 512)
	if _, err = f.ReadAt(sector, 0); err != nil {
		return err
	}

	s.Mbr = binary.LittleEndian.Uint32(sector[446+12:])

	return nil
}

func readVolume(r io.ReaderAt) (*volume, error) {
	image, err := iso9660.OpenImage(r)
	if err != nil {
		return nil, err
	}

	root, err := image.RootDir()
	if err != nil {
		return nil, err
	}

	children, err := root.GetChildren()
	if err != nil {
		return nil, err
	}

	found := &volume{Files: map[string]string{}}

	for _, child := range children {
		text, err := io.ReadAll(child.Reader())
		if err != nil {
			return nil, err
		}

		found.Files[child.Name()] = fmt.Sprintf("%x", sha256.Sum256(text))
	}

	return found, nil
}

func (s *seen) readMeta(f *os.File) error {
	for _, part := range s.Partitions {
		if part.Name != "META" {
			continue
		}

		if part.Filesystem != "talosmeta" {
			return fmt.Errorf("META is %q", part.Filesystem)
		}

		// Either copy must do.
		for _, skip := range []int64{0, talos.Length} {
			values, err := talos.NewADV(io.NewSectionReader(f, int64(part.Offset)+skip, int64(part.Size)-skip))
			if err != nil {
				return err
			}

			s.Meta.Keys = map[uint8]string{}

			for _, tag := range values.ListTags() {
				s.Meta.Keys[tag], _ = values.ReadTag(tag)
			}
		}
	}

	text, ok := s.Meta.Keys[0x0a]
	if !ok {
		return nil
	}

	var spec network.PlatformConfigSpec

	// Talos overlooks what it does not know; here it is a mistake.
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)

	if err := decoder.Decode(&spec); err != nil {
		return err
	}

	printed, err := yaml.Marshal(spec)
	s.Meta.Network = string(printed)

	return err
}

func deref(text *string) string {
	if text == nil {
		return ""
	}

	return *text
}
