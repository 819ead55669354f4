package import ArgumentParser

/// The scripts by which shells complete `segue`.
///
/// ArgumentParser makes them for one order of words: the verb by its own name, then its options. People write options first,
/// aliases and mpc's words, too; so a function around the script has `segue` put the words in that order, by the rules by
/// which it reads them.
package enum CompletionScripts {
    /// The hidden word with which the scripts ask for that; the words to the cursor follow.
    package static let wordsOption = "---words"

    /// The script of a command, for a shell.
    package static func script(_ generated: String, for shell: CompletionShell) -> String {
        switch shell {
        case .bash: generated.replacing(lastLine(of: generated), with: "") + bash
        case .zsh: generated.replacing("\n_segue() {\n", with: "\n__segue_ordered() {\n").replacing(zshEnd, with: zsh)
        case .fish: generated + fish
        default: generated
        }
    }

    /// The line that binds the generated function.
    private static func lastLine(of script: String) -> String {
        script.split(separator: "\n").last { $0.hasPrefix("complete ") }.map { String($0) } ?? ""
    }

    /// The words in the order of the script, each on a line, and a last line that keeps an empty one before it.
    package static func reply(to words: [String]) -> String {
        CommandWords.completed(words).map { String($0.map { $0.isNewline ? " " : $0 }) + "\n" }.joined() + ".\n"
    }

    private static let bash = #"""
        _segue_in_order() {
            local -a found=()
            mapfile -t found < <("${COMP_WORDS[0]}" ---words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
            if ((${#found[@]} < 2)); then
                _segue "$@"
                return
            fi
            unset "found[${#found[@]}-1]"
            found=("${COMP_WORDS[0]}" "${found[@]}")
            local -a COMP_WORDS=()
            COMP_WORDS=("${found[@]}")
            local COMP_CWORD=$((${#found[@]} - 1))
            local COMP_LINE="${found[*]}"
            local COMP_POINT=${#COMP_LINE}
            _segue "$1" "${found[COMP_CWORD]}" "${found[COMP_CWORD - 1]}"
        }

        complete -o filenames -F _segue_in_order segue

        """#

    private static let zshEnd = #"""
        if [[ "${funcstack[1]}" = _segue ]]; then
            _segue "${@}"
        else
            compdef _segue segue
        fi
        """#

    private static let zsh = #"""
        _segue() {
            local -a found
            found=("${(@f)$("${words[1]}" ---words "${(@)words[2,CURRENT]}" 2>/dev/null)}")
            if (( ${#found} > 1 )); then
                words=("${words[1]}" "${(@)found[1,-2]}")
                CURRENT=${#words}
            fi
            __segue_ordered "${@}"
        }

        if [[ "${funcstack[1]}" = _segue ]]; then
            _segue "${@}"
        else
            compdef _segue segue
        fi
        """#

    private static let fish = #"""

        functions -c __segue_tokens __segue_given_tokens
        function __segue_tokens
            # The cursor's place in its word, which fish 3 does not tell like that: the end of what is to be completed.
            if string match -q -- -tC "$argv"
                string length -- (commandline -ct | string collect --allow-empty)
                return
            end
            set -l given (__segue_given_tokens $argv)
            if not string match -q -- -pc "$argv"; or test (count $given) -lt 2
                test (count $given) -eq 0; or printf '%s\n' $given
                return
            end
            # Each rule asks for them, so segue is only run for other words.
            if not test "x$given" = "x$__segue_last_given"
                set -g __segue_last_given $given
                set -g __segue_last_found ($given[1] ---words $given[2..-1] '' 2>/dev/null)
            end
            if test (count $__segue_last_found) -lt 2
                printf '%s\n' $given
            else
                printf '%s\n' $given[1] $__segue_last_found[1..-3]
            end
        end

        """#
}

extension CommandWords {
    /// The words up to the cursor, with the verb first by its own name; the last one, which is being written, stays the last.
    static func completed(_ words: [String]) -> [String] {
        guard let current = words.last else { return [""] }
        let before = Array(words.dropLast())
        var place = 0
        while place < before.count, let takesValue = isOption(before[place]) { place += takesValue ? 2 : 1 }
        guard place < before.count else {
            // No verb yet: options, and their values, are those of any verb.
            let isOption = place > before.count || current.hasPrefix("-") && !before.isEmpty
            return isOption ? ["status"] + before + [current] : [current]
        }
        let (verb, options, rest) = (before[place], Array(before[..<place]), Array(before[(place + 1)...]))
        var names = spellings[verb] ?? [canonical(verb, among: VerbTable.groups.flatMap(\.subcommands))]
        var taken = rest
        let inner =
            VerbTable.groups.flatMap(\.subcommands).first { $0.configuration.commandName == names[0] }?
            .configuration.subcommands ?? []
        if names.count == 1, !inner.isEmpty, let word = firstArgument(taken[...]) {
            names.append(canonical(taken.remove(at: word), among: inner))
        }
        return names + options + taken + [current]
    }

    /// The name of a verb that has an alias; else the word itself.
    private static func canonical(_ word: String, among verbs: [any ParsableCommand.Type]) -> String {
        verbs.first { $0.configuration.aliases.contains(word) }?.configuration.commandName ?? word
    }
}
