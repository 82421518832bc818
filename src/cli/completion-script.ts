/** The word with which the scripts ask the program; the shell and the words up to the one that is to be completed follow. */
export const COMPLETE = "__complete";

export type Shell = "bash" | "zsh" | "fish";

/** A script that completes the arguments of the program `name` by asking the program itself. */
export function completionScript(shell: Shell, name: string): string {
  return SCRIPTS[shell](name, `_${name.replaceAll(/\W/g, "_")}_complete`);
}

const SCRIPTS: Readonly<Record<Shell, (name: string, run: string) => string>> = {
  bash: (name, run) => `# Completes ${name} in bash 3.2 and newer.
${run}() {
  local program="\${COMP_WORDS[0]/#\\~/$HOME}" current="\${COMP_WORDS[COMP_CWORD]}" line word paths="" IFS=$'\\n'
  COMPREPLY=()
  while read -r line; do
    case $line in
      :files) paths=-f ;;
      :folders) paths=-d ;;
      *)
        printf -v word %q "\${line%%$'\\t'*}"
        COMPREPLY+=("$word")
        ;;
    esac
  done < <("$program" ${COMPLETE} bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ -n $paths ]]; then
    [[ $current == = ]] && current=""
    COMPREPLY+=($(compgen $paths -- "$current"))
    compopt -o filenames 2>/dev/null
  fi
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[/.] && \${COMPREPLY[0]} != . ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o nosort -F ${run} ${name} 2>/dev/null || complete -F ${run} ${name}
`,

  zsh: (name, run) => `#compdef ${name}
# Completes ${name} in zsh, after compinit.
${run}() {
  local line word about
  local -a lines whole begun
  local program=\${~words[1]}
  lines=("\${(@f)$("$program" ${COMPLETE} zsh "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    case $line in
      :files) _files ;;
      :folders) _files -/ ;;
      ?*)
        word=\${line%%$'\\t'*}
        about=\${line#$word}
        about=\${word//:/\\\\:}\${about/$'\\t'/:}
        if [[ $word == ?*[/.] ]]; then begun+=("$about"); else whole+=("$about"); fi
        ;;
    esac
  done
  (( $#whole )) && _describe -V '${name}' whole
  (( $#begun )) && _describe -V '${name}' begun -S ''
  return 0
}
if [[ $funcstack[1] == _${name} ]]; then ${run} "$@"; else compdef ${run} ${name}; fi
`,

  fish: (name, run) => `# Completes ${name} in fish.
function ${run}
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~(?=/)' -- $HOME $typed[1])
    type -q -- $program; or return
    for line in ($program ${COMPLETE} fish $typed[2..] "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path $current
            case :folders
                __fish_complete_directories $current
            case '*'
                echo $line
        end
    end
end
complete -c ${name} -f -k -a '(${run})'
`,
};
