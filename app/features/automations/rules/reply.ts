// What the words of a customer's answer say: STOP, a plain yes or no, or one of the words a rule waits for.
import type { WebhookTrigger } from '#app/domain/automations/rule.ts'

type Reply = NonNullable<WebhookTrigger['reply']>

/** The words alone: without case, punctuation and spaces at the ends. */
function plainWords(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** As the whole text, each of these means that no more messages are wanted. */
const STOP_WORDS: ReadonlySet<string> = new Set([
  ...['stop', 'stop all', 'stopall', 'stop it', 'please stop', 'stop please', 'stop messages', 'stop texting'],
  ...['unsubscribe', 'unsubscribe me', 'cancel', 'end', 'quit', 'revoke', 'opt out', 'optout', 'opt-out', 'remove me'],
  ...['no more messages', 'no more texts', 'do not text me', 'dont text me', 'leave me alone'],
  ...['stopp', 'abmelden', 'arret', 'arrêt', 'desabonner', 'désabonner', 'baja', 'alto'],
])

export function saysStop(text: string): boolean {
  return STOP_WORDS.has(plainWords(text))
}

const YES: ReadonlySet<string> = new Set(
  'yes y yep yeah yup ok okay confirm confirmed agreed sure ja oui si sí sim da'.split(' '),
)
const NO: ReadonlySet<string> = new Set('no n nope nah nein non não nee'.split(' '))
/** Words beside a yes or a no that change nothing. */
const POLITE: ReadonlySet<string> = new Set(
  'please thanks thank you ta cheers great perfect fine good all thats that is it works for me us sorry danke bitte merci gracias'.split(
    ' ',
  ),
)

/** The whole text, begun with such a word: "yes, but later" is none, because somebody has to read it. */
function saysOnly(text: string, wanted: ReadonlySet<string>): boolean {
  const [first = '', ...others] = plainWords(text).split(' ')
  return wanted.has(first) && others.every((word) => wanted.has(word) || POLITE.has(word))
}

/** The words a rule waits for, as typed, each once. */
export function replyPhrases(words: string): string[] {
  return [...new Set(words.split(/[,;\n]/).map((word) => word.trim()))].filter((word) => word !== '')
}

/** Is this an answer the rule waits for? Words count as whole words, in any case. */
export function replyMatches(reply: Reply | undefined, text: string): boolean {
  switch (reply?.match) {
    case 'yes':
      return saysOnly(text, YES)
    case 'no':
      return saysOnly(text, NO)
    case 'words': {
      const said = ` ${plainWords(text)} `
      return replyPhrases(reply.words).some((phrase) => {
        const wanted = plainWords(phrase)
        return wanted !== '' && said.includes(` ${wanted} `)
      })
    }
    default:
      return true
  }
}

/** Such an answer needs nobody: the rule deals with it, and waiting messages go on. */
export function settlesAnswer(reply: Reply | undefined): boolean {
  return reply?.match === 'yes'
}

/** Why no answer can ever match; null = one can. */
export function replyProblem({ match, words }: Reply): string | null {
  if (match !== 'words') return null
  const phrases = replyPhrases(words)
  if (phrases.length === 0) return 'Enter at least one word, like: later, reschedule'
  const empty = phrases.find((phrase) => plainWords(phrase) === '')
  if (empty !== undefined) return `"${empty}" has no letters or digits. Enter a word.`
  const stop = phrases.find(saysStop)
  return stop === undefined ? null : `"${stop}" ends all messages to the customer and starts nothing. Remove it.`
}

/** An answer the rule would take, for a preview. */
export function sampleReply(reply: Reply | undefined): string {
  switch (reply?.match) {
    case 'yes':
      return 'YES'
    case 'no':
      return 'NO'
    case 'words':
      return replyPhrases(reply.words)[0] ?? ''
    default:
      return 'Can you ring me first?'
  }
}
