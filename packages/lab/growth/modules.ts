// The pure modules by file. Empty here: whoever bundles the trials puts them in (`growth.ts`).
export const MODULES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {}
