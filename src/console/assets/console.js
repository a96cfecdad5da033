/* Makes pages that work without it quicker: search while typing, live progress, charts, copying. */
(() => {
  'use strict';
  const SEARCH_DELAY_MS = 250;
  const FOLLOW_DELAY_MS = 1_000;
  const FOLLOW_TRIES = 6;
  document.documentElement.classList.add('scripted');

  const fetchPage = async (address, signal) => {
    const answer = await fetch(address, { headers: { accept: 'text/html' }, signal });
    // A session that ended answers with the sign-in page: show that one whole.
    if (answer.redirected) throw new Error('moved');
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  };

  const replace = (id, page) => {
    const fresh = page.getElementById(id);
    const old = document.getElementById(id);
    if (fresh === null || old === null) return false;
    old.replaceWith(document.adoptNode(fresh));
    return true;
  };

  let running;
  const search = async (form) => {
    running?.abort();
    running = new AbortController();
    const fields = [...new FormData(form)].filter(([, value]) => value !== '');
    const address = `${location.pathname}?${new URLSearchParams(fields)}`;
    document.getElementById('results')?.classList.add('busy');
    try {
      if (!replace('results', await fetchPage(address, running.signal))) throw new Error('no results');
      history.replaceState(null, '', address);
      enhance();
    } catch (error) {
      if (error.name !== 'AbortError') location.assign(address);
    }
  };

  for (const form of document.querySelectorAll('form[data-live]')) {
    let timer;
    form.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => void search(form), SEARCH_DELAY_MS);
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      clearTimeout(timer);
      void search(form);
    });
  }

  const refresh = async () => {
    const main = document.getElementById('main');
    const seconds = Number(main?.dataset.refreshSeconds ?? 0);
    if (!(seconds > 0)) return;
    const isUsed =
      document.hidden ||
      main.querySelector('#page details[open]') !== null ||
      main.querySelector('#page :focus') !== null;
    if (!isUsed) {
      try {
        const page = await fetchPage(location.href);
        replace('page', page);
        const next = page.getElementById('main')?.dataset.refreshSeconds;
        if (next === undefined) delete main.dataset.refreshSeconds;
        enhance();
      } catch {
        return;
      }
    }
    setTimeout(() => void refresh(), seconds * 1000);
  };

  /**
   * Shows traces as they arrive and says so where screen readers listen. Nothing is exchanged under somebody's focus. A
   * page in the background lets its connection go, since a browser has few of them.
   */
  const follow = (place) => {
    const address = new URL(place.dataset.follow, location.href);
    let source;
    let waiting;
    let arrived = 0;
    let failures = 0;
    const say = (words) => {
      if (place.textContent !== words) place.textContent = words;
    };
    const count = () => (arrived === 1 ? '1 new trace' : `${arrived} new traces`);
    const isUsed = () => document.querySelector('#results :focus') !== null;
    const showLater = () => {
      waiting ??= setTimeout(() => void show(), FOLLOW_DELAY_MS);
    };
    const show = async () => {
      waiting = undefined;
      if (isUsed()) {
        say(`${count()}, shown once you leave the table.`);
        showLater();
        return;
      }
      const told = arrived;
      try {
        const page = await fetchPage(location.href);
        if (isUsed()) {
          showLater();
          return;
        }
        // Written even when the words are the same: each arrival is news.
        place.textContent = `${count()}; the list is up to date.`;
        arrived -= told;
        if (replace('results', page)) enhance();
      } catch (error) {
        if (error.message === 'moved') stop();
        else showLater();
      }
    };
    const stop = () => {
      source?.close();
      source = undefined;
      say('');
    };
    const start = () => {
      source = new EventSource(address);
      source.addEventListener('following', ({ lastEventId }) => {
        address.searchParams.set('after', lastEventId);
        failures = 0;
        if (place.textContent === '') say('New traces appear by themselves.');
      });
      source.addEventListener('trace', ({ lastEventId }) => {
        address.searchParams.set('after', lastEventId);
        arrived += 1;
        showLater();
      });
      // A stream that ends is opened again by the browser; one that is refused is not, and servers are restarted.
      source.addEventListener('error', () => {
        if (source?.readyState !== EventSource.CLOSED) return;
        stop();
        failures += 1;
        if (failures <= FOLLOW_TRIES) setTimeout(resume, FOLLOW_DELAY_MS * 2 ** failures);
      });
    };
    const resume = () => {
      if (!document.hidden && source === undefined) start();
    };
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) stop();
      else resume();
    });
    resume();
  };

  const draw = (place) => {
    const table = document.getElementById(place.dataset.source);
    if (table === null || typeof uPlot === 'undefined') return;
    // One bar per trace, oldest first: traces come in bursts, and on a scale of time their bars would hide each other.
    const rows = [...table.querySelectorAll('tbody tr')]
      .map((row) => ({ at: row.dataset.at, value: Number(row.dataset[place.dataset.chart] || 0) }))
      .sort((a, b) => (a.at < b.at ? -1 : 1));
    const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
    const timeOf = (index) => rows[index]?.at.slice(11, 16) ?? '';
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--quiet').trim();
    const line = style.getPropertyValue('--line').trim();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const { bars } = uPlot.paths;
    place.replaceChildren();
    const chart = new uPlot(
      {
        width: place.clientWidth,
        height: 160,
        legend: { show: false },
        cursor: { show: false },
        axes: [
          { ...axis, size: 32, incrs: [1, 2, 5, 10, 20, 50], space: 64, values: (_chart, ticks) => ticks.map(timeOf) },
          { ...axis, size: 64, values: (_chart, ticks) => ticks.map((tick) => compact.format(tick)) },
        ],
        series: [
          {},
          {
            stroke: style.getPropertyValue('--accent').trim(),
            fill: style.getPropertyValue('--accent').trim(),
            paths: bars({ size: [0.6, 24, 3] }),
            points: { show: false },
          },
        ],
        scales: {
          x: { time: false, range: [-0.6, rows.length - 0.4] },
          y: { range: (_chart, _least, most) => [0, most > 0 ? most * 1.1 : 1] },
        },
      },
      [rows.map((_row, index) => index), rows.map(({ value }) => value)],
    );
    place.append(chart.root);
  };

  const copy = async (button) => {
    const text = document.getElementById(button.dataset.copy)?.textContent ?? '';
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Select the text and copy it';
    }
  };

  function enhance() {
    for (const place of document.querySelectorAll('[data-chart]')) draw(place);
    for (const button of document.querySelectorAll('[data-copy]')) {
      if (!button.hidden) continue;
      button.hidden = false;
      button.addEventListener('click', () => void copy(button));
    }
  }

  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      menu.open = false;
      menu.querySelector('summary').focus();
    }
  });
  document.addEventListener('click', (event) => {
    for (const menu of document.querySelectorAll('details.menu[open]'))
      if (!menu.contains(event.target)) menu.open = false;
  });

  // Charts are drawn to measure and in the colours of the moment.
  let drawing;
  const drawAgain = () => {
    cancelAnimationFrame(drawing);
    drawing = requestAnimationFrame(() => document.querySelectorAll('[data-chart]').forEach(draw));
  };
  addEventListener('resize', drawAgain);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAgain);

  enhance();
  for (const place of document.querySelectorAll('[data-follow]')) follow(place);
  setTimeout(() => void refresh(), Number(document.getElementById('main')?.dataset.refreshSeconds ?? 0) * 1000);
  document.documentElement.dataset.ready = '1';
})();
