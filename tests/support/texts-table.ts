// All texts of a feature's screens as one page, `docs/texts/<feature>.md`: to be read aloud, and compared in a review.
import { type ProductText, productTexts } from './product-texts.ts'
import { isOnScreen } from './voice.ts'

/** One page a feature; the rest of `app` is `shared`. Keys = names without folder; values = Markdown. */
export function textPages(root: string): Map<string, string> {
  const texts = productTexts(root, isOnScreen, { labels: true }).filter(({ text }) => isReadable(text))
  const byFeature = grouped(texts, ({ file }) => /^app\/features\/([\w-]+)\//.exec(file)?.[1] ?? 'shared')
  return new Map([...byFeature].map(([feature, own]) => [feature, page(feature, own)]))
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

function page(feature: string, texts: readonly ProductText[]): string {
  const files = [...grouped(texts, ({ file }) => file)].map(([file, own]) => {
    const lines = [...new Set(own.map(({ text }) => `- ${text.trim().replaceAll('\n', ' / ')}`))]
    return `## ${file.replace(`app/features/${feature}/`, '')}\n\n${lines.join('\n')}\n`
  })
  return `# Texts: ${feature}\n\n${INTRO}\n\n${files.join('\n')}`
}

const INTRO =
  'Made from the sources by `TEXTS=write npx vitest run --project unit tests/house/texts.test.ts`. `…` is a value. See [the voice](../voice.md).'

/** Starts as a sentence or a label does: names of classes, paths and patterns do not. */
function isReadable(text: string): boolean {
  if (/^M\d|^[A-Z]\w*[/:]|[{}<>\\]|^…\S|\b(?:gap|grid|divide|[mp][xytb]?)-/.test(text)) return false
  return /^[A-Z“"…£]/.test(text) && /[a-z]/.test(text)
}
