package main

import (
	"fmt"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
)

func main() {
	b, err := secrets.LoadBundle("/dev/null")
	fmt.Println(b, err, config.TalosVersion1_12)
}
