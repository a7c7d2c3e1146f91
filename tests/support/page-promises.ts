// Finds the pages' sentences that promise something: times, amounts, limits, words such as "never" or "by itself".
import { productTexts, sentencesOf } from './product-texts.ts'

/** Texts for operators at a terminal, programs, or customers of an account: other documents cover their promises. */
const NO_PAGES = [
  /^app\/(adapters|commands|contract|http|lib)\b/,
  /^app\/boot\/(env[\w-]*|start-checks)\.server\.ts$/,
  /^app\/routes\/(api|hooks)\//,
  /\/(api-[\w-]+|rule-field-notes)\.ts$/,
  /^app\/features\/(reference\/|templates\/library|ops\/(doctor|backups|restore))/,
]

const UNITS = 'days?|hours?|minutes?|seconds?|weeks?|months?|operations|addresses|characters'
const PROMISING = new RegExp(
  [
    '£',
    String.raw`(?:\b\d[\d,.]*|…) (?:${UNITS})\b`,
    String.raw`\b(?:never|always|unlimited|free|at most|up to(?! date)|within|at once|for good|without a word)\b`,
    String.raw`\bby (?:itself|themselves|ourselves)\b|\bautomatically\b|\bwe retry\b`,
    String.raw`\bwhen you resume\b|\b(?:continues|resumes) (?:when|in|after)\b`,
    String.raw`\bnot lost\b|\bnothing (?:is|that waits is) (?:lost|limited|sent)\b|\bno further\b`,
    String.raw`\b(?:kept|stored|valid)(?: here)?,? (?:and|for|until)\b`,
    String.raw`\bevery (?:day|month|hour|attempt|run|browser|event|automation)\b`,
  ].join('|'),
  'i',
)

export const isPromising = (sentence: string) => PROMISING.test(sentence)

/** Each sentence once, with `…` for each value; `root` = the folder above `app`. */
export function pagePromises(root: string): string[] {
  const texts = productTexts(root, (file) => !NO_PAGES.some((one) => one.test(file)))
  return [...new Set(texts.flatMap(({ text }) => sentencesOf(text)))].filter(isPromising)
}
