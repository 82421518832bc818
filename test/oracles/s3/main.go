// An S3 server that keeps its buckets as folders: Versity's gateway, as it is published, with what it must be told.
package main

import (
	"log"
	"os"

	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/s3api"
	"github.com/versity/versitygw/s3api/middlewares"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// Arguments: the folder of the buckets, one for what is known of objects, address and region. The login is in the environment.
func main() {
	root := middlewares.RootUserConfig{Access: os.Getenv("ROOT_ACCESS_KEY"), Secret: os.Getenv("ROOT_SECRET_KEY")}
	sidecar := must(meta.NewSideCar(os.Args[2]))
	files := must(posix.New(os.Args[1], sidecar, posix.PosixOpts{SideCarDir: os.Args[2]}))
	users := auth.NewIAMServiceSingle(auth.Account{Access: root.Access, Secret: root.Secret, Role: auth.RoleAdmin})
	server := must(s3api.New(files, root, os.Args[4], users, nil, nil, nil, nil, s3api.WithQuiet(), s3api.WithConcurrencyLimiter(100, 100)))
	log.Fatal(server.ServeMultiPort([]string{os.Args[3]}))
}
