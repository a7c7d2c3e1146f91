// What a command says when it fails: a sentence, with the next step where one is known.
import { type Env, readEnv } from '#app/boot/env.server.ts'
import { problemOf } from '#app/boot/start-checks.server.ts'
import { BackupTrouble } from '#app/features/ops/backup-work.server.ts'
import { sentenceOf } from './doctor.server.ts'

export interface CommandInput {
  args: string[]
  say(line: string): void
  env?: Readonly<Env>
}

/** Explains mistakes that a person can fix in sentences. */
export async function explained(input: CommandInput, work: (input: CommandInput) => Promise<number>): Promise<number> {
  try {
    return await work(input)
  } catch (error) {
    const mistake = isArgumentMistake(error) ? `${sentenceOf(error).split('. ')[0]}. --help lists the options.` : null
    const known = mistake ?? (isSentence(error) ? sentenceOf(error) : problemOf(error, input.env ?? readEnv()))
    const sentence = known ?? sentenceOf(error)
    if (input.args.includes('--json')) input.say(JSON.stringify({ outcome: 'failed', sentence }))
    else input.say(known ?? `It failed: ${sentence}`)
    return 1
  }
}

/** `cannotStart` of the database names its errors like those of the configuration. */
function isSentence(error: unknown): boolean {
  return error instanceof BackupTrouble || (error instanceof Error && error.name === 'ConfigurationError')
}

function isArgumentMistake(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
