// The stage's own stylesheet, font and icon.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Answer } from '../http.server.ts'
import css from './console.css?raw'

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b5a72"/><path d="M7 8h18v10a9 9 0 0 1-18 0z" fill="#fff"/><path d="M12 15h0M20 15h0" stroke="#0b5a72" stroke-width="3.4" stroke-linecap="round"/><path d="M12 20c1.8 2.4 6.2 2.4 8 0" stroke="#0b5a72" stroke-width="2" stroke-linecap="round" fill="none"/></svg>`

let font: Buffer | null | undefined

/** By the name after `/sandbox/console/`; null when the file does not exist. */
export function assetAnswer(name: string): Answer | null {
  switch (name) {
    case 'console.css':
      return asset('text/css; charset=utf-8', 60, css)
    case 'icon.svg':
      return asset('image/svg+xml', 3600, ICON)
    case 'inter.woff2': {
      font ??= readFont()
      return font ? asset('font/woff2', 86_400, font) : null
    }
    default:
      return null
  }
}

function asset(type: string, seconds: number, body: string | Uint8Array): Answer {
  return { status: 200, headers: { 'content-type': type, 'cache-control': `max-age=${seconds}` }, body }
}

/** The product's own font; without the package the page falls back to the system font. */
function readFont(): Buffer | null {
  try {
    const require = createRequire(import.meta.url)
    return readFileSync(require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'))
  } catch {
    return null
  }
}
