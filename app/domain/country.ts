// The countries where the platform is sold, and how accounts name theirs: as a code or in words (`default_region`).

export const COUNTRIES = ['GB', 'AU', 'NZ', 'US', 'IE', 'CA'] as const

export type Country = (typeof COUNTRIES)[number]

const NAMES: ReadonlyMap<string, Country> = new Map([
  ['gb', 'GB'],
  ['gbr', 'GB'],
  ['uk', 'GB'],
  ['united kingdom', 'GB'],
  ['great britain', 'GB'],
  ['england', 'GB'],
  ['scotland', 'GB'],
  ['wales', 'GB'],
  ['northern ireland', 'GB'],
  ['au', 'AU'],
  ['aus', 'AU'],
  ['australia', 'AU'],
  ['nz', 'NZ'],
  ['nzl', 'NZ'],
  ['new zealand', 'NZ'],
  ['us', 'US'],
  ['usa', 'US'],
  ['united states', 'US'],
  ['united states of america', 'US'],
  ['ie', 'IE'],
  ['irl', 'IE'],
  ['ireland', 'IE'],
  ['republic of ireland', 'IE'],
  ['ca', 'CA'],
  ['can', 'CA'],
  ['canada', 'CA'],
])

/** `gb`, `UK`, `United Kingdom` → `GB`; null for a country whose formats are not known here. */
export function readCountry(text: string): Country | null {
  return (
    NAMES.get(
      text
        .trim()
        .toLowerCase()
        .replace(/^the\s+/, '')
        .replace(/[.]/g, ''),
    ) ?? null
  )
}
