// Runs before the first paint so that a chosen theme and a right-to-left page do not flash.
(function () {
  try {
    var saved = JSON.parse(localStorage.getItem('fk.settings') || '{}');
    var root = document.documentElement;
    if (saved.theme === 'light' || saved.theme === 'dark') root.dataset.theme = saved.theme;
    if (saved.language) root.lang = saved.language;
    if (saved.language === 'ar') root.dir = 'rtl';
  } catch (_) {
    // Storage may be forbidden; the defaults are fine then.
  }
})();
