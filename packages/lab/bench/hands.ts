// A person's hands and how long they take: every press and every key is counted, beside what the machine makes them wait for.
import type { Locator, Page } from '@playwright/test'

/**
 * Operators of the keystroke-level model (Card, Moran and Newell, 1980), milliseconds: a key of an average typist, pointing at
 * something, pressing, moving the hand between keys and mouse, and making up one's mind before each thing done.
 */
const KEY_MS = 280
const POINT_MS = 1_100
const PRESS_MS = 200
const HOME_MS = 400
const MIND_MS = 1_350

export interface Walked {
  /** Presses and choices, fields that were typed into not counted. */
  presses: number
  fields: number
  keys: number
  /** What the machine took, loading included. */
  machineMs: number
  /** What a person who has never seen the page needs at least by the model, with the machine's time. */
  personMs: number
}

export interface Hands {
  press(target: Locator): Promise<void>
  choose(target: Locator, label: string): Promise<void>
  type(target: Locator, text: string): Promise<void>
  /** Something only looked at: no hand moves. */
  see(target: Locator): Promise<void>
  walked(): Walked
}

/** `now` in milliseconds that only go up. */
export function countedHands(now: () => number = () => performance.now()): Hands {
  const begun = now()
  let presses = 0
  let fields = 0
  let keys = 0
  return {
    async press(target) {
      presses += 1
      await target.click()
    },
    async choose(target, label) {
      // Open it, and pick the line.
      presses += 2
      await target.selectOption({ label })
    },
    async type(target, text) {
      fields += 1
      keys += text.length
      await target.fill(text)
    },
    see: (target) => target.first().waitFor(),
    walked() {
      const machineMs = Math.round(now() - begun)
      return { presses, fields, keys, machineMs, personMs: machineMs + personMs({ presses, fields, keys }) }
    },
  }
}

/** What the hands and the mind take, without the machine. A field is pointed at, pressed, and costs a move to the keys. */
export function personMs({ presses, fields, keys }: Pick<Walked, 'presses' | 'fields' | 'keys'>): number {
  return (presses + fields) * (MIND_MS + POINT_MS + PRESS_MS) + fields * HOME_MS + keys * KEY_MS
}

/** The page that a press opens in a new tab. */
export async function openedBy(page: Page, press: () => Promise<void>): Promise<Page> {
  const opened = page.context().waitForEvent('page')
  await press()
  return opened
}
