// Opens databases with bbolt itself, which etcd keeps its data in: every page is checked, every key is listed.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	bolt "go.etcd.io/bbolt"
)

func main() {
	found := map[string]map[string]string{}
	if err := read(os.Args[1], found); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}

func read(file string, found map[string]map[string]string) error {
	db, err := bolt.Open(file, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.View(func(tx *bolt.Tx) error {
		for err := range tx.Check() {
			return err
		}
		return tx.ForEach(func(name []byte, bucket *bolt.Bucket) error {
			keys := map[string]string{}
			found[string(name)] = keys
			return bucket.ForEach(func(key, value []byte) error {
				keys[fmt.Sprintf("%x", key)] = fmt.Sprintf("%x", value)
				return nil
			})
		})
	})
}
