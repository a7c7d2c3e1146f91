import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('./theme.css', import.meta.url), 'utf8')

/** The colours of one scheme by name: hex only, so shadows and shades fall away. */
function coloursOf(block: string): Map<string, string> {
  return new Map([...block.matchAll(/--([a-z-]+):\s*(#[0-9a-f]{6});/g)].map(([, name = '', hex = '']) => [name, hex]))
}

const [lightBlock = '', darkBlock = ''] = [...css.matchAll(/:root \{([^}]*)\}/g)].map((match) => match[1] ?? '')
const schemes = { light: coloursOf(lightBlock), dark: coloursOf(darkBlock) }

/** Relative luminance and contrast as WCAG 2.2 defines them. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

const BODY_TEXT = ['ink', 'ink-soft'].flatMap((text) => ['canvas', 'surface', 'sunken'].map((ground) => [text, ground]))

const OTHER_TEXT = [
  ...['working', 'attention', 'failing', 'held', 'accent'].flatMap((tone) =>
    [`${tone}-soft`, 'surface', 'canvas'].map((ground) => [tone, ground]),
  ),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['on-failing', 'failing'],
  ['on-failing', 'failing-strong'],
  ['canvas', 'ink'],
]

/** What is not text but has to be seen: edges of controls, the focus ring. */
const EDGES = ['line-strong', 'accent', 'failing'].flatMap((edge) =>
  ['surface', 'canvas', 'sunken'].map((ground) => [edge, ground]),
)

describe.each(Object.entries(schemes))('the %s scheme', (_scheme, colours) => {
  function between([a = '', b = '']: string[]): number {
    return contrast(colours.get(a) ?? '', colours.get(b) ?? '')
  }

  it.each(BODY_TEXT)('has %s on %s readable at level AAA', (...pair) => {
    expect(between(pair)).toBeGreaterThanOrEqual(7)
  })

  it.each(OTHER_TEXT)('has %s on %s readable at level AA', (...pair) => {
    expect(between(pair)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(EDGES)('shows the edge %s on %s', (...pair) => {
    expect(between(pair)).toBeGreaterThanOrEqual(3)
  })
})

describe('the two schemes', () => {
  it('name the same colours', () => {
    expect([...schemes.dark.keys()]).toEqual([...schemes.light.keys()])
  })

  it('leave no other palette to pick from', () => {
    expect(css).toContain('--color-*: initial;')
    expect(css).toContain('--text-*: initial;')
  })
})
