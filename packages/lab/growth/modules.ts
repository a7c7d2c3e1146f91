// The pure modules by file. Empty here: the bundle of the trials fills it in (`growth.ts`).
export const MODULES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {}
