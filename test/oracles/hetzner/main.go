// The published client of Hetzner Cloud plays with the lab's: all that the lab answers, and what it must refuse.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// scene is what the lab's side tells.
type scene struct {
	URL   string
	Token string
	// Servers are the names of all there are, in their order.
	Servers []string
	// Broken is a server whose first poweroff fails after it was begun, with this message.
	Broken  string
	Message string
}

func main() {
	var told scene
	if err := json.NewDecoder(os.Stdin).Decode(&told); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()

	j := &judge{ctx: ctx, client: clientOf(told.URL, told.Token), told: told}

	j.strangers()
	j.servers()
	j.labels()
	key := j.keys()
	j.rescue(key)
	j.power()
	j.rules()
	j.firewalls()
	j.selectors()
	j.actions()
	j.end(key)

	fmt.Printf("hcloud-go %s, %d checks\n", hcloud.Version, j.checks)
}

func clientOf(url, token string) *hcloud.Client {
	soon := hcloud.ConstantBackoff(20 * time.Millisecond)

	return hcloud.NewClient(
		hcloud.WithEndpoint(url),
		hcloud.WithToken(token),
		hcloud.WithPollOpts(hcloud.PollOpts{BackoffFunc: soon}),
		hcloud.WithRetryOpts(hcloud.RetryOpts{BackoffFunc: soon, MaxRetries: 3}),
	)
}
