// Estimates a person's time: counts every press and key, and adds the time the machine takes.
import type { Locator, Page } from '@playwright/test'

/**
 * Operators of the keystroke-level model (Card, Moran and Newell, 1980), milliseconds: a key of an average typist,
 * pointing at something, pressing, moving the hand between keys and mouse, and deciding before each action.
 */
const KEY_MS = 280
const POINT_MS = 1_100
const PRESS_MS = 200
const HOME_MS = 400
const MIND_MS = 1_350

export interface Walked {
  /** Presses and choices; typing into a field is not counted. */
  presses: number
  fields: number
  keys: number
  /** The machine's time, including loading. */
  machineMs: number
  /** The minimum time of a person who has never seen the page, by the model, plus the machine's time. */
  personMs: number
}

export interface Hands {
  press(target: Locator): Promise<void>
  choose(target: Locator, label: string): Promise<void>
  type(target: Locator, text: string): Promise<void>
  /** Only looks at the target: no hand movement. */
  see(target: Locator): Promise<void>
  walked(): Walked
}

/** `now` returns monotonic milliseconds. */
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
      // Open the list, then pick the option.
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

/** The time of hands and mind, without the machine. A field costs pointing, a press, and a move to the keys. */
export function personMs({ presses, fields, keys }: Pick<Walked, 'presses' | 'fields' | 'keys'>): number {
  return (presses + fields) * (MIND_MS + POINT_MS + PRESS_MS) + fields * HOME_MS + keys * KEY_MS
}

/** The page that a press opens in a new tab. */
export async function openedBy(page: Page, press: () => Promise<void>): Promise<Page> {
  const opened = page.context().waitForEvent('page')
  await press()
  return opened
}
