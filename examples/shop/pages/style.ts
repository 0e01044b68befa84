/** One style sheet for all pages: light and dark, from a phone to a desktop. */
export const style = `
:root { color-scheme: light dark; --ink: #16202c; --soft: #5a6675; --line: #d9dfe6; --ground: #f5f7f9; --card: #fff;
  --accent: #0b6b50; --on-accent: #fff; --good: #0b6b50; --bad: #b3261e; --wait: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf2; --soft: #a3afbc; --line: #313b46; --ground: #12171d; --card: #1b222a;
  --accent: #4cc7a1; --on-accent: #06251b; --good: #4cc7a1; --bad: #ff8a80; --wait: #f0b429; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header { background: var(--card); border-bottom: 1px solid var(--line); }
header > div { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .4rem 1rem; max-width: 62rem;
  margin: 0 auto; padding: .8rem 1.2rem; }
nav { display: flex; gap: 1.2rem; }
a { color: var(--accent); }
nav a { text-decoration: none; font-weight: 600; } nav a[aria-current] { text-decoration: underline; text-underline-offset: .35em; }
.brand { font-weight: 700; text-decoration: none; color: var(--ink); }
main { max-width: 62rem; margin: 0 auto; padding: 1.2rem; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: .4rem 0 1rem; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .6rem; }
.shelves { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: .8rem; padding: 0; list-style: none; }
.shelves a { display: block; height: 100%; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  color: inherit; text-decoration: none; }
.shelves a:hover, .shelves a:focus-visible { border-color: var(--accent); }
.shelves strong { display: block; font-size: 1.1rem; }
.soft { color: var(--soft); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1.2rem; max-width: 32rem; }
.card > p:first-child { margin-top: 0; }
#status { margin-bottom: 1.2rem; }
#status .state { font-size: 1.15rem; margin: 0 0 .8rem; }
ol.progress { display: grid; grid-template-columns: repeat(3, 1fr); gap: .4rem; padding: 0; margin: 0 0 1rem; list-style: none; font-size: .85rem;
  color: var(--soft); }
ol.progress li { border-top: 4px solid var(--line); padding-top: .3rem; }
ol.progress li.done { border-color: var(--good); color: var(--ink); } ol.progress li.now { border-color: var(--wait); color: var(--ink); }
ol.progress li.bad { border-color: var(--bad); color: var(--ink); }
form.stack { display: grid; gap: .9rem; }
label { display: grid; gap: .25rem; font-weight: 600; }
label small { font-weight: 400; color: var(--soft); }
input, select { font: inherit; font-weight: 400; padding: .55rem .6rem; border: 1px solid var(--soft); border-radius: .4rem; background: var(--ground);
  color: inherit; width: 100%; }
button { font: inherit; font-weight: 600; padding: .55rem 1rem; border: 1px solid var(--accent); border-radius: .4rem; cursor: pointer;
  background: var(--accent); color: var(--on-accent); }
a.button { display: inline-block; font-weight: 600; padding: .55rem 1rem; border: 1px solid var(--accent); border-radius: .4rem;
  background: var(--accent); color: var(--on-accent); text-decoration: none; }
button.plain { background: transparent; color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.state { font-weight: 700; }
.state.delivered { color: var(--good); } .state.refunded, .state.review, .state.held { color: var(--bad); }
.state.waiting { color: var(--wait); }
.token { font: 600 1.2rem/1.4 ui-monospace, monospace; letter-spacing: .04em; }
.wrong { font-weight: 400; color: var(--bad); }
[aria-invalid] { border-color: var(--bad); }
.needs { font-size: 2rem; color: var(--good); margin-bottom: .2rem; } .needs.alarm { color: var(--bad); }
.receipt { max-width: 40rem; padding: 1.4rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; text-align: center; }
.whole { font: 700 clamp(1.1rem, 5.2vw, 2.1rem)/1.3 ui-monospace, monospace; letter-spacing: .02em; margin: 1rem 0; overflow-wrap: anywhere; }
.row { display: flex; flex-wrap: wrap; gap: .8rem; align-items: center; }
@media print { header, .row { display: none; } body { background: #fff; color: #000; } .receipt { border: 0; } }
.problem { border-left: 4px solid var(--bad); padding: .4rem .8rem; background: var(--card); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line); }
th, td { text-align: left; padding: .55rem .8rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-size: .85rem; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(7rem, 1fr)); gap: .6rem; padding: 0; list-style: none; }
.counts li { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .6rem .8rem; }
.counts li.alarm { border-color: var(--bad); } .counts li.alarm b { color: var(--bad); }
.counts small { display: block; color: var(--soft); }
.counts b { display: block; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
ol.steps { padding-left: 1.2rem; } ol.steps li { margin: .2rem 0; }
.actions { display: grid; gap: .6rem; justify-items: start; }
.actions form { display: flex; flex-wrap: wrap; gap: .4rem; } .actions input { width: 12rem; padding: .35rem .5rem; }
.actions button { padding: .35rem .7rem; white-space: nowrap; }
@media (max-width: 44rem) {
  main { padding: 1rem .8rem; } header > div { padding: .8rem; }
  thead { display: none; }
  tr { display: grid; gap: .15rem; padding: .7rem .8rem; border-bottom: 1px solid var(--line); }
  td, td.number { display: block; padding: 0; border: 0; text-align: left; }
  .counts { grid-template-columns: repeat(3, 1fr); gap: .4rem; } .counts li { padding: .45rem .55rem; font-size: .85rem; overflow-wrap: anywhere; }
  .counts b { font-size: 1.1rem; }
}
`;
