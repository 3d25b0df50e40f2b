// spider-rs, a crawler written in Rust, through its package for Node; pages are handed over as they come.
const { readFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { Website } = createRequire(process.argv[3] + '/')('@spider-rs/spider-rs')

const [seed] = readFileSync(process.argv[2], 'utf8').split('\n')
let pages = 0
const website = new Website(seed).withRespectRobotsTxt(true).withDelay(0)
website.build()
website.crawl((error, page) => { if (!error && page) pages += 1 }).then(() => {
  console.log(pages)
  process.exit(0) // the package leaves its threads running
})
