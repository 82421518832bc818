export const NOTES = `You have successfully installed Cilium{{ if .Values.hubble.enabled }} with Hubble{{ end }}.

Your release version is {{ .Chart.Version }}.
`;
