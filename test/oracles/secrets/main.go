// Asks Talos's own code about secrets.yaml files: are they valid, are they what Talos itself would make, and what bytes
// would Talos write for them?
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
)

func main() {
	if len(os.Args) != 4 {
		fail(fmt.Errorf("usage: %s CONTRACT FOLDER PRINTED", os.Args[0]))
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// run judges bundle.yaml of a folder in all respects, and prints every file of the folder back into another.
func run(version, folder, printed string) error {
	contract, err := config.ParseContractFromVersion(version)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := printBack(file, filepath.Join(printed, filepath.Base(file)), contract); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	ours, err := secrets.LoadBundle(filepath.Join(folder, "bundle.yaml"))
	if err != nil {
		return err
	}
	theirs, err := secrets.NewBundle(secrets.NewFixedClock(time.Now()), contract)
	if err != nil {
		return err
	}
	if err := sameKind(ours, theirs); err != nil {
		return err
	}
	if err := usable(ours, contract); err != nil {
		return err
	}
	if err := origins(ours, contract, folder, printed); err != nil {
		return err
	}
	fmt.Printf("%s: %d files\n", contract, len(files))
	return nil
}

// printBack writes what `talosctl gen secrets` would write.
func printBack(from, to string, contract *config.VersionContract) error {
	bundle, err := secrets.LoadBundle(from)
	if err != nil {
		return err
	}
	if err := validate(bundle, contract); err != nil {
		return err
	}
	return write(bundle, to)
}
