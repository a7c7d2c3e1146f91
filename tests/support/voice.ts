// The product's voice, as far as a machine can hear it: turns that docs/voice.md forbids, and sentences too long to read.
import { productTexts, sentencesOf } from './product-texts.ts'

/** Texts for operators at a terminal, for programs, for logs, and the messages that templates send. */
const NOT_ON_SCREEN = [
  /^app\/(adapters|commands|context|contract|engine|lib)\b/,
  /^app\/boot\//,
  /^app\/routes\/(api|hooks|ops)\//,
  /\/(api-[\w-]+|rule-field-notes)\.ts$/,
  /^app\/features\/(reference\/|templates\/library|ops\/(doctor|backups|restore|rotate))/,
]

export const isOnScreen = (file: string): boolean => !NOT_ON_SCREEN.some((one) => one.test(file))

/** Each with what to write instead. */
export const TURNS: readonly { name: string; shape: RegExp; instead: string }[] = [
  {
    name: 'stand here',
    shape: /\bstands? (?:here|there|below|above|beside|under|first|in|on)\b/i,
    instead: '"You will see … here", or nothing',
  },
  {
    name: 'as it comes',
    shape: /\bas (?:it|they|usual) (?:comes?|stands?|has|have)\b|\bas usual\b/i,
    instead: 'the value itself',
  },
  { name: 'by itself', shape: /\bby (?:itself|themselves|ourselves)\b/i, instead: '"automatically", or nothing' },
  { name: 'is told', shape: /\b(?:is|are|was|were|be|been) told\b/i, instead: '"gets an e-mail", "sees"' },
  { name: 'what was behind it', shape: /\bwhat (?:was|is|stands) behind\b/i, instead: 'the thing itself' },
  { name: 'would have looked', shape: /\bwould have (?:looked|been)\b/i, instead: 'the result' },
  { name: 'counts as', shape: /\bcounts? as\b/i, instead: '"is"' },
  { name: 'is kept', shape: /\b(?:is|are) kept\b(?!,? (?:for|until|here)\b)/i, instead: '"we keep …", or how long' },
  { name: 'goes on', shape: /\bgo(?:es)? on\b/i, instead: '"continues", "resumes"' },
  { name: 'looks at it', shape: /\blooks? (?:at|through|it over|after)\b/i, instead: '"checks"' },
  { name: 'whoever', shape: /\bwhoever\b/i, instead: '"anyone who", or a name' },
  {
    name: 'in any case',
    shape: /\bin (?:any|each) case\b|\bin their turn\b|\bwithout a word\b|\banew\b/i,
    instead: 'nothing',
  },
  { name: 'sets off', shape: /\bsets? (?:it|a rule|them|off)? ?off\b/i, instead: '"starts"' },
  { name: 'reckoned', shape: /\breckon/i, instead: '"calculated", "estimated"' },
]

/** Most words of a sentence on screen. */
const MOST_WORDS = 12

export interface Offence {
  file: string
  line: number
  sentence: string
  /** The turn; null = too long. */
  turn: string | null
}

/** Every offence in the texts of the screens; `root` = the folder above `app`. */
export function offencesOfVoice(root: string): Offence[] {
  return productTexts(root, isOnScreen).flatMap(({ file, line, text }) =>
    sentencesOf(text).flatMap((sentence) => judged(sentence).map((turn) => ({ file, line, sentence, turn }))),
  )
}

/** The turns that a sentence uses; null among them = it is too long. */
export function judged(sentence: string): (string | null)[] {
  const turns: (string | null)[] = TURNS.filter(({ shape }) => shape.test(sentence)).map(({ name }) => name)
  return isLong(sentence) ? [...turns, null] : turns
}

function isLong(sentence: string): boolean {
  // The path of a drawing.
  if (/^M\d/.test(sentence)) return false
  return sentence.split(/\s+/).filter((word) => /[\p{L}\d…]/u.test(word)).length > MOST_WORDS
}
