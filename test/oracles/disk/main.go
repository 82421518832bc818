// What does Talos see on a disk? Its own libraries for partition tables, file systems and META read disks that were made elsewhere.
//
//	image FILE    makes the beginning of a disk with the partitions of a Talos image
//	check         reads a disk in JSON per line, and answers each with what it found, in JSON
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
)

type disk struct {
	File string `json:"file"`
	// Create STATE and EPHEMERAL, as a first start does.
	Grow bool `json:"grow"`
}

type seen struct {
	Table      string      `json:"table"`
	Partitions []partition `json:"partitions"`
	Mbr        uint32      `json:"mbr"`
	Backup     bool        `json:"backup"`
	Config     *volume     `json:"config"`
	Meta       meta        `json:"meta"`
	// What was there keeps its numbers when Talos adds its own.
	Grown []partition `json:"grown"`
	// Once the volume is dropped, EPHEMERAL can have all that is behind it.
	Growth uint64 `json:"growth"`
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "image" {
		must(makeImage(os.Args[2]))

		return
	}

	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)

	answers := json.NewEncoder(os.Stdout)

	for lines.Scan() {
		var asked disk

		must(json.Unmarshal(lines.Bytes(), &asked))

		found, err := look(asked)
		if err != nil {
			log.Fatalf("%s: %v", asked.File, err)
		}

		must(answers.Encode(found))
	}

	must(lines.Err())
}

func look(asked disk) (*seen, error) {
	f, err := os.OpenFile(asked.File, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}

	defer f.Close() //nolint:errcheck

	found := &seen{}

	if err = found.probe(f); err != nil {
		return nil, err
	}

	if err = found.readMeta(f); err != nil {
		return nil, err
	}

	if err = found.readBackup(f); err != nil {
		return nil, err
	}

	if asked.Grow {
		err = found.grow(f)
	}

	return found, err
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
