// How the server asks Node to be economical: without a limit V8 lets garbage of half a minute lie, and 300 events/s stand at
// 250 MB where 195 do (npm run bench). Half of these 16 MB for what is young would save another 12 MB and cost 3 % of processor time
// at saturation. 384 MB of heap leave a machine of 512 MB room for the rest.
export const SERVER_FLAGS = ['--max-semi-space-size=16', '--max-old-space-size=384']
