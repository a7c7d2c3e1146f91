// How the server asks Node to be economical: without a limit V8 lets garbage of half a minute lie, and 300 events/s stand at
// 250 MB where 160 do (npm run bench, at the same processor time). 384 MB of heap leave a machine of 512 MB room for the rest.
export const SERVER_FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=384']
