// One picture for each screen: as it was and as it is, at two widths in both themes. The browser draws and packs them.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'

const FOLDER = 'docs/images/looks'
/** Of the sheet, pixels: a column for each picture, and how much of a long page is shown. */
const COLUMN = 400
const GAP = 12
const LABEL = 22
const ROWS = [
  { width: 1280, shownWidth: 400, height: 420 },
  { width: 375, shownWidth: 240, height: 520 },
]
const THEMES = ['light', 'dark'] as const
const QUALITY = 0.6

interface Tile {
  label: string
  x: number
  y: number
  width: number
  height: number
  /** PNG, base64; null = there was none. */
  png: string | null
}

/** `before` and `now` are folders that `npm run screens -- --to` filled. Screens that are new stand alone. */
export async function drawSheets(browser: Browser, { before, now }: { before: string; now: string }): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const page = await browser.newPage()
  const folders = ROWS.flatMap(({ width }) => THEMES.map((theme) => join(now, `${width}-${theme}`)))
  const without = folders.filter((folder) => !existsSync(folder))
  if (without.length > 0)
    throw new Error(`--beside needs both widths and themes in --to; missing: ${without.join(', ')}`)
  for (const file of readdirSync(join(now, '1280-light'))) {
    const tiles = ROWS.flatMap(({ width, shownWidth, height }, row) =>
      THEMES.flatMap((theme, pair) =>
        [before, now].map((folder, side): Tile => {
          const path = join(folder, `${width}-${theme}`, file)
          return {
            label: `${side === 0 ? 'before' : 'now'}, ${width} px, ${theme}`,
            x: GAP + (pair * 2 + side) * (COLUMN + GAP),
            y: LABEL + row * ((ROWS[0]?.height ?? 0) + LABEL + GAP),
            width: shownWidth,
            height,
            png: existsSync(path) ? readFileSync(path, 'base64') : null,
          }
        }),
      ),
    )
    const size = {
      width: GAP + 4 * (COLUMN + GAP),
      height: ROWS.reduce((sum, { height }) => sum + height + LABEL + GAP, 0),
    }
    const webp = await page.evaluate(draw, { tiles, size, quality: QUALITY })
    writeFileSync(join(FOLDER, file.replace('.png', '.webp')), Buffer.from(webp.split(',')[1] ?? '', 'base64'))
  }
  await page.close()
}

/** Runs in the page. Returns the sheet as a data address. */
async function draw(sheet: { tiles: Tile[]; size: { width: number; height: number }; quality: number }) {
  const canvas = Object.assign(document.createElement('canvas'), sheet.size)
  const pen = canvas.getContext('2d')
  if (!pen) throw new Error('the browser draws nothing')
  pen.fillStyle = '#e9ecef'
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.imageSmoothingQuality = 'high'
  pen.font = '13px sans-serif'
  for (const { label, x, y, width, height, png } of sheet.tiles) {
    const image = new Image()
    image.src = `data:image/png;base64,${png}`
    // The first reference was 120,000 pixels long.
    const drawn =
      png !== null &&
      (await image.decode().then(
        () => true,
        () => false,
      ))
    const why = png === null ? ': there was none' : drawn ? '' : ': too long for a picture'
    pen.fillStyle = '#343a40'
    pen.fillText(label + why, x, y - 6)
    if (!drawn) continue
    const shown = Math.min(image.height, (height * image.width) / width)
    pen.drawImage(image, 0, 0, image.width, shown, x, y, width, (shown * width) / image.width)
  }
  return canvas.toDataURL('image/webp', sheet.quality)
}
