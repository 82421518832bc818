package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

type judge struct {
	ctx    context.Context
	client *hcloud.Client
	told   scene
	checks int
}

// check ends everything when something is not as it must be: what comes later is built on it.
func (j *judge) check(what string, ok bool, seen ...any) {
	j.checks++

	if !ok {
		fail(fmt.Sprintf("%s: seen %s", what, written(seen)))
	}
}

// works is a check of its own: the client could read the answer.
func (j *judge) works(what string, err error) {
	j.checks++

	if err != nil {
		fail(fmt.Sprintf("%s: %v", what, err))
	}
}

func (j *judge) refused(what string, err error, code hcloud.ErrorCode) {
	j.check(fmt.Sprintf("%s is refused with %s", what, code), hcloud.IsError(err, code), err)
}

// invalid has the field that is wrong.
func (j *judge) invalid(what string, err error, field string) {
	j.refused(what, err, hcloud.ErrorCodeInvalidInput)

	var answer hcloud.Error

	errors.As(err, &answer)

	details, _ := answer.Details.(hcloud.ErrorDetailsInvalidInput)
	j.check(what+" names "+field, len(details.Fields) == 1 && details.Fields[0].Name == field, details)
}

// wait is until all of them have ended well.
func (j *judge) wait(what string, actions ...*hcloud.Action) {
	for _, action := range actions {
		j.check(what+" has an action", action != nil && action.ID > 0 && !action.Started.IsZero(), action)
	}

	j.works(what+" ends", j.client.Action.WaitFor(j.ctx, actions...))
}

// server is as it is now.
func (j *judge) server(name string) *hcloud.Server {
	server, _, err := j.client.Server.GetByName(j.ctx, name)
	if err != nil || server == nil {
		fail(fmt.Sprintf("server %s: %v, %v", name, server, err))
	}

	return server
}

// written is for people: addresses in memory tell them nothing.
func written(seen []any) string {
	var all []string

	for _, one := range seen {
		text, err := json.Marshal(one)
		if _, is := one.(error); is || err != nil {
			text = fmt.Append(nil, one)
		}

		all = append(all, string(text))
	}

	return strings.Join(all, ", ")
}

func fail(what string) {
	fmt.Fprintln(os.Stderr, what)
	os.Exit(1)
}
